// A page with a failure, a trial that was skipped, and a first metric that is no rate.

await perform({
  "failures are told without what was skipped": () => {
    const table = all("caption").find((each) => each.textContent === "Failures by status").closest("table");
    const rows = all("tbody tr", table).map((row) => row.cells[0].textContent);
    check(rows.join() === "wrong_result", rows.join());
  },
  "what a launch takes is told per watt by a rate": () => {
    check(/energy of a launch[\d.]+ GB\/s per W/.test(text(".figures")), text(".figures"));
  },
});
