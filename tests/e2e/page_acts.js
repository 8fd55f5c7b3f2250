// What a reader does with a page, and what must be seen then.

const acts = {
  "the first screen says what is best and by how much": () => {
    check(/At 4 sizes the best runs at .*× the speed of cuBLAS/.test(text(".first .lead")), text(".first .lead"));
    check(all(".first tbody tr").length === 4, "a row for each size");
    check(/86\.4 %/.test(text(".first table")), "the share of the ceiling");
    check(/of ceiling: arithmetic/.test(text(".first")), "the name of the ceiling");
    check(/\+1\.0 %/.test(text(".first table")), "how far the next one is behind");
    const commands = all(".first .code pre").map((each) => each.textContent).join("\n");
    check(/^tuner cover --family matmul --db \S+ --format header > matmul\.h\ntuner pack --family matmul --db \S+ -o matmul\.tuned$/.test(commands), commands);
  },
  "a size has its figures, its doubt and the code to use it": async () => {
    byText(".first button.link", "1024").click();
    await settled();
    check(/1\.24×the speed of cuBLAS95 %: 1\.239–1\.242/.test(text(".figures")), text(".figures"));
    check(/It took 30 turns with 5 rivals and 2 libraries/.test(text(".first")), text(".first"));
    check(/nvcc \$\(tuner best 1024 --family matmul --db .* --format flags\)/.test(text(".code pre")), text(".code pre"));
    check(/Why it is as fast as it is.*What binds it.*of 65\.\d T op\/s.*What the runner-up lacks/.test(text(".answer")), text(".answer"));
    check(location.hash === "#f.size=1024", location.hash);
    check(passing() === 81, `81 trials of 1024, not ${passing()}`);
    all(".chips button").at(-1).click();
    await settled();
    check(passing() === 354, "a filter is taken back");
  },
  "a rectangle in the scatter keeps what lies in it, and the link brings it back": async () => {
    await choose("Across", "resources.registers");
    await drag(document.querySelector(".explore .plot"), [0.5, 0.02], [0.98, 0.98]);
    const kept = passing(), link = location.hash;
    check(kept > 0 && kept < 354, `${kept} trials in the rectangle`);
    check(/x=resources\.registers/.test(link) && /f\.resources\.registers=/.test(link), link);
    all(".chips button").at(-1).click();
    await settled();
    check(passing() === 354, "all filters are taken back");
    location.hash = link;
    await settled();
    check(passing() === kept, `the link brings back ${kept} trials, not ${passing()}`);
    location.hash = "";
    await settled();
  },
  "bounds are typed, and the table has what lies between them": async () => {
    const form = document.querySelector(".filters form");
    form.closest("details").open = true;
    const [low, high] = all("input", form);
    [low.value, high.value] = [1.5, 3];
    form.requestSubmit();
    await settled();
    const table = all("caption").find((each) => each.textContent === "Trials that pass the filters").closest("table");
    table.scrollIntoView();
    await settled();
    const heading = all("th button", table).find((each) => each.textContent === "time ÷ best of its size");
    const firstOf = () => parseFloat(table.querySelector("tbody tr").cells[heading.closest("th").cellIndex].textContent);
    const least = firstOf();
    heading.click();
    const most = firstOf();
    check(least >= 1.5 && least < 1.7 && most <= 3 && most > 2.8, `from ${least} to ${most}`);
    heading.click();
    await choose("Filter", "kernel");
    await choose("is", "1");
    form.requestSubmit();
    await settled();
    check(/kernel: register_tile/.test(text(".chips")), text(".chips"));
    all(".chips button").at(-1).click();
    await settled();
  },
  "values of a parameter are chosen with boxes": async () => {
    const table = all(".values").find((each) => each.caption.textContent === "kernel");
    table.scrollIntoView();
    await settled();
    const box = all("label", table).find((each) => each.textContent === "naive").querySelector("input");
    const naive = Number(box.closest("tr").cells[1].textContent);
    box.click();
    await settled();
    check(naive > 0 && passing() === 354 - naive, `${passing()} without ${naive}`);
    check(text(".chips").includes("kernel"), "the filter is named");
    box.click();
    await settled();
    check(passing() === 354, "all values are no filter");
  },
  "headings sort the table of trials": async () => {
    const heading = all("th button").find((each) => each.textContent === "registers per thread");
    heading.scrollIntoView({ block: "center" });
    await settled();
    heading.click();
    const column = heading.closest("th").cellIndex;
    const values = () => all("tbody tr", heading.closest("table")).map((row) => Number(row.cells[column].textContent));
    check(values().every((value, i, list) => i === 0 || list[i - 1] <= value), "rising");
    heading.click();
    check(heading.closest("th").getAttribute("aria-sort") === "descending", "it says so");
    check(values().every((value, i, list) => i === 0 || list[i - 1] >= value), "falling");
  },
  "the search is told in the order of the race, whatever the final measured again": async () => {
    byText("section h2", "All configurations, and the search").scrollIntoView();
    await settled();
    const said = all("p").map((each) => each.textContent).find((each) => each.includes("The search was within"));
    check(said === "The geometric mean of 4 sizes. The search was within 1 % of its best after 10 of 101 trials a size.", String(said));
  },
  "a trial has a card with what differs from the winner, and Escape closes it": async () => {
    const link = all("th[scope=row] button.link").at(-1);
    link.focus();
    link.click();
    const card = document.querySelector(".card");
    check(!card.hidden && card.contains(document.activeElement), "it is open and has the focus");
    check(/What differs from the winner/.test(card.textContent) && /tuner show /.test(card.textContent), card.textContent.slice(0, 200));
    check(/trial=/.test(location.hash) || (await settled(), /trial=/.test(location.hash)), "the link names it");
    card.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    check(card.hidden && document.activeElement === link, "it is closed and the focus is back");
  },
  "a click on a point opens its card": async () => {
    const plot = document.querySelector(".explore .plot");
    plot.scrollIntoView({ block: "center" });
    await settled();
    const over = plot.querySelector(".u-over"), box = over.getBoundingClientRect();
    const event = (type, y) => new MouseEvent(type, { bubbles: true, movementX: 1, movementY: 1, clientX: box.left + 0.5 * box.width, clientY: box.top + y * box.height });
    const note = plot.parentElement.querySelector(".note");
    over.dispatchEvent(event("mouseenter", 0));
    let y = 0;
    while (y < 1 && note.hidden) over.dispatchEvent(event("mousemove", (y += 0.01)));
    const named = note.textContent.split(" ")[0];
    over.dispatchEvent(event("mousedown", y));
    document.dispatchEvent(event("mouseup", y));
    await settled();
    check(!document.querySelector(".card").hidden && text(".card h2") === `Trial ${named}`, `${text(".card h2")} for ${named}`);
    document.querySelector(".card").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await settled();
  },
  "every part that is drawn has words, and every control a name": () => {
    check(all(".plot").length >= 5, `${all(".plot").length} charts`);
    check(all(".plot").every((each) => each.getAttribute("aria-label")?.length > 20), "charts have labels");
    const nameless = all("button, select, input").filter((each) => !(each.textContent.trim() || each.getAttribute("aria-label") || each.closest("label")));
    check(nameless.length === 0, nameless.map((each) => each.outerHTML).join());
    check(all("section h2").length >= 6, "sections have headings");
  },
  "paper is light, charts fit on it, and the screen is as before then": async () => {
    const wide = () => Math.max(...all(".plot .u-wrap").map((each) => each.getBoundingClientRect().width));
    const before = wide();
    dispatchEvent(new Event("beforeprint"));
    check(wide() <= 736 && all(".plot").every((each) => each.querySelector("canvas")), `${wide()} wide`);
    check(getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() === "#ffffff", "light");
    dispatchEvent(new Event("afterprint"));
    await settled();
    check(wide() === before, `${before} wide before, ${wide()} after`);
  },
  "nothing is wider than the window": () => {
    check(document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} in ${innerWidth}`);
  },
};

await perform(acts);
