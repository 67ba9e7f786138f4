// How search sorts: pages of records come after all others.  The numbers are Sphinx's own.
const RECORDS = [
  "npu-support", "consumers", "relaxed-only", "accuracy", "npu-accuracy", "benchmarks",
  "captured-functions", "captured-functions-on-gpus", "sharded-functions", "hardware",
];
var Scorer = {
  score: ([page, , , , score]) => score - (RECORDS.includes(page) ? 1000 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
