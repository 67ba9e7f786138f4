// The rows of long tables that have the words and the choices of the filter above them.  A form that
// stands in the page is for all tables with its columns; every other long table gets one of its own.
// Folded tables are open while the filter asks for some of their rows.
function filterTables(form, tables, hidesSections) {
  const selects = [...form.querySelectorAll("select")];
  const rows = [];
  for (const table of tables) {
    const heads = headsOf(table);
    const places = selects.map((select) => heads.indexOf(select.name));
    const section = table.closest("section");
    const title = section.querySelector("h1, h2, h3").firstChild.textContent.trim();
    for (const row of table.querySelectorAll("tbody tr")) {
      const cells = [...row.cells].map((cell) => cell.textContent.trim());
      const words = places.map((place) => cells[place]);
      rows.push({ row, section, words, text: `${title}.${cells.join(" ")}`.toLowerCase() });
    }
  }
  selects.forEach((select, i) => {
    const words = [...new Set(rows.map((one) => one.words[i]))].sort();
    for (const word of ["any", ...words]) select.add(new Option(word || "(blank)", word));
  });
  const folds = new Set(tables.map((table) => table.closest("details")));
  folds.delete(null);
  const unfold = form.querySelector("button");
  let asked = false;
  const counted = headsOf(tables[0])[0] === "function" ? "functions" : "rows";
  const show = () => {
    const chosen = new FormData(form);
    const words = chosen.get("words").toLowerCase().split(/\s+/);
    const sections = new Map(rows.map((one) => [one.section, 0]));
    let shown = 0;
    for (const { row, section, words: own, text } of rows) {
      row.hidden = !(
        words.every((word) => text.includes(word)) &&
        selects.every((select, i) => select.value === "any" || select.value === own[i])
      );
      shown += !row.hidden;
      sections.set(section, sections.get(section) + !row.hidden);
    }
    const before = asked;
    asked = shown < rows.length;
    for (const one of asked || before ? folds : [])
      one.open = asked && one.querySelector("tbody tr:not([hidden])") !== null;
    if (hidesSections) for (const [section, number] of sections) section.hidden = !number;
    form.querySelector("output").textContent = `${shown} of ${rows.length} ${counted}`;
  };
  form.hidden = false;
  unfold.hidden = folds.size < 2;
  unfold.addEventListener("click", () => {
    const open = [...folds].some((one) => !one.open);
    for (const one of folds) one.open = open;
  });
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show(); // a browser may keep the choice of an earlier visit
}
function headsOf(table) {
  return [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
}
document.addEventListener("DOMContentLoaded", () => {
  const LONG = 60; // rows
  const template = document.createElement("template");
  template.innerHTML =
    '<form class="filter"><label>Filter <input type="search" name="words" ' +
    'placeholder="part of a name"></label> <output></output> ' +
    '<button type="button" hidden>Open or close all</button></form>';
  const rest = new Set(document.querySelectorAll(".bd-article table"));
  for (const form of document.querySelectorAll("form.filter")) {
    const columns = [...form.querySelectorAll("select")].map((select) => select.name);
    const own = [...rest].filter((table) => columns.every((one) => headsOf(table).includes(one)));
    own.forEach((table) => rest.delete(table));
    filterTables(form, own, true);
  }
  for (const table of rest) {
    if (table.querySelectorAll("tbody tr").length <= LONG) continue;
    const form = template.content.firstElementChild.cloneNode(true);
    const box = table.closest("details") ?? table.closest(".pst-scrollable-table-container");
    (box ?? table).before(form);
    filterTables(form, [table], false);
  }
  // Paper has all rows, in browsers whose style sheets cannot say so too.
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll(".bd-article details:not([open])")) {
      one.open = true;
      addEventListener("afterprint", () => (one.open = false), { once: true });
    }
  });
});
