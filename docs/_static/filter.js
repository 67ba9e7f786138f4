// The rows of long tables that have the words and the choices of the filter above them.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.filter");
  if (!form) return;
  const selects = [...form.querySelectorAll("select")];
  const rows = [];
  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    const places = selects.map((select) => heads.indexOf(select.name));
    if (places.includes(-1)) continue;
    const section = table.closest("section");
    const title = section.querySelector("h2, h3").firstChild.textContent.trim();
    for (const row of table.querySelectorAll("tbody tr")) {
      const cells = [...row.cells].map((cell) => cell.textContent.trim());
      const words = places.map((place) => cells[place]);
      rows.push({ row, section, words, text: `${title}.${cells.join(" ")}`.toLowerCase() });
    }
  }
  selects.forEach((select, i) => {
    const words = [...new Set(rows.map((one) => one.words[i]))].sort();
    for (const word of ["any", ...words]) select.add(new Option(word));
  });
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
    for (const [section, number] of sections) section.hidden = !number;
    form.querySelector("output").textContent = `${shown} of ${rows.length} functions`;
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show(); // a browser may keep the choice of an earlier visit
});
