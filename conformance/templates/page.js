"use strict";
{
  const rows = [...document.querySelectorAll("#test-table tbody tr")];
  const [text, chapter, outcome] = ["text", "chapter", "outcome"].map(
    (name) => document.getElementById(`filter-${name}`),
  );
  const names = rows.map((row) => row.cells[0].textContent.toLowerCase());
  const apply = () => {
    const part = text.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, i) => {
      const match =
        names[i].includes(part) &&
        (!chapter.value || row.dataset.chapter === chapter.value) &&
        (!outcome.value || row.dataset.outcomes.split(" ").includes(outcome.value));
      row.hidden = !match;
      shown += match;
    });
    document.getElementById("shown").textContent =
      shown === rows.length ? shown : `${shown} of ${rows.length}`;
  };
  for (const control of [text, chapter, outcome]) control.addEventListener("input", apply);
  text.form.addEventListener("submit", (event) => event.preventDefault());
  apply(); // a browser may have kept what was chosen before a reload
}
