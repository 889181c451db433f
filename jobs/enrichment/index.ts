import type { EnrichmentWorker } from './enrichment-worker.ts'
import { contractCodeWorker } from './contract-code-worker.ts'
import { evmMetadataWorker } from './evm-metadata-worker.ts'
import { networkStateWorker } from './network-state-worker.ts'
import { nftItemMetadataWorker } from './nft-item-metadata-worker.ts'
import { nftOwnershipReconciler } from './nft-ownership-reconciler.ts'
import { tokenMetadataWorker } from './token-metadata-worker.ts'

/** `priceFeedWorker` is created from the settings. */
export const allEnrichmentWorkers: readonly EnrichmentWorker[] = [
  tokenMetadataWorker,
  nftItemMetadataWorker,
  nftOwnershipReconciler,
  contractCodeWorker,
  networkStateWorker,
  evmMetadataWorker,
]
