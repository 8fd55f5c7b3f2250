// A page whose trials have energies.

await perform({
  "the first screen fits, and has the energy of each size": () => {
    check(text(".first thead").includes("energy"), text(".first thead"));
    check(/512.*8\.460 µs.*5\.078 mJ.*4096.*2\.398 ms.*1\.893 J/.test(text(".first tbody")), text(".first tbody"));
    const table = document.querySelector(".first .scroll");
    check(table.scrollWidth <= table.clientWidth, `the table takes ${table.scrollWidth} of ${table.clientWidth}`);
  },
  "a size says what a launch takes, and what that is per watt": async () => {
    byText(".first button.link", "4096").click();
    await settled();
    check(/1\.893 Jenergy of a launch72\.\d+ GFLOP\/s per W/.test(text(".figures")), text(".figures"));
  },
});
