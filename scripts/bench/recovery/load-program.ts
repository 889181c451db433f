/** Loads what a program that ingests and derives consists of, and ends. */
await Promise.all([
  import('../../../src/services/ingest.ts'),
  import('../../../src/services/farm.ts'),
  import('../../../jobs/index.ts'),
])
process.exit(0)
