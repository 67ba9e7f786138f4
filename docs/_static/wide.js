// A table that is wider than the page fades at its right edge while columns are beyond it.  On a phone
// it is stacked instead: its rows are blocks, whose cells have the names of their columns before them.
document.addEventListener("DOMContentLoaded", () => {
  const phone = matchMedia("(max-width: 40rem)");
  for (const box of document.querySelectorAll(".pst-scrollable-table-container")) {
    const heads = headsOf(box);
    for (const row of box.querySelectorAll("tbody tr"))
      for (const [i, cell] of [...row.cells].entries())
        if (cell.textContent.trim()) cell.dataset.column = heads[i];
    const fade = () =>
      box.classList.toggle("wide", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    const fit = () => {
      box.classList.remove("stacked");
      box.classList.toggle("stacked", phone.matches && box.scrollWidth > box.clientWidth + 1);
      fade();
    };
    box.addEventListener("scroll", fade, { passive: true });
    new ResizeObserver(fit).observe(box); // a fold that opens, a window that turns
  }
});
