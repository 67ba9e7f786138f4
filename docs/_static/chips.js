// The tables of NPU support for the chip that is chosen.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.chips");
  if (!form) return;
  const chips = JSON.parse(form.dataset.chips);
  const cells = new Map(); // by function and code of the data type
  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    if (heads[0] !== "function" || heads.at(-1) !== "waits") continue;
    for (const row of table.querySelectorAll("tbody tr")) {
      const name = row.cells[0].textContent.trim();
      heads.slice(1, -1).forEach((code, i) => cells.set(`${name} ${code}`, row.cells[i + 1]));
    }
  }
  const before = new Map([...cells].map(([key, cell]) => [key, cell.textContent]));
  const opened = []; // folded tables that have a cell with a frame
  const show = () => {
    for (const fold of opened.splice(0)) fold.open = false;
    for (const [key, cell] of cells) {
      cell.textContent = before.get(key);
      cell.classList.remove("differs");
    }
    for (const [name, symbol, codes] of chips[new FormData(form).get("chip")])
      for (const code of codes.split(" ")) {
        const cell = cells.get(`${name} ${code}`);
        cell.textContent = symbol;
        cell.classList.add("differs");
        const fold = cell.closest("details:not([open])");
        if (!fold) continue;
        fold.open = true;
        opened.push(fold);
      }
  };
  form.hidden = false;
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show(); // a browser may keep the choice of an earlier visit
});
