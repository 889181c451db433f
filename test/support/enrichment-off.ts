import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'

/**
 * Variables with which nothing is asked of a chain: without a node of the test's own, that would be the main network.
 */
export const enrichmentOff: Readonly<Record<string, string>> = Object.fromEntries(
  allEnrichmentWorkers.map(({ name }) => [`ENABLE_${name.toUpperCase()}`, 'false']),
)
