import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'

/** Disables chain queries. Without a test node, they would go to mainnet. */
export const enrichmentOff: Readonly<Record<string, string>> = Object.fromEntries(
  allEnrichmentWorkers.map(({ name }) => [`ENABLE_${name.toUpperCase()}`, 'false']),
)
