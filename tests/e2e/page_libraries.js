// A page whose finals were held beside libraries, some of which are faster.

await perform({
  "no size has a next one that is faster": () => {
    check(!text(".first tbody").includes("+-"), text(".first tbody"));
  },
  "a size tells libraries from rivals": async () => {
    const scopes = all(".chooser").find((each) => each.querySelector("span").textContent === "Trials of")?.querySelectorAll("option") ?? [];
    for (const option of scopes) {
      await choose("Trials of", option.value);
      if (all(".chooser option").some((each) => each.value === "128x28672x8192")) break;
    }
    await choose("Size", "128x28672x8192");
    check(/It took 20 turns with 2 libraries\. /.test(text(".answer")), text(".answer"));
  },
});
