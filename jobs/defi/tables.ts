import type { HeightTable } from '../worker.ts'

const heightColumn = 'block_height'
const position = [heightColumn, 'tx_index', 'event_index']

/** One row for each swap, each change of liquidity, each flash loan. */
export const defiEvents: HeightTable = {
  name: 'app.defi_events',
  columns: [
    ...position,
    'pair',
    'event_type',
    'maker',
    'asset0',
    'asset1',
    'asset0_in',
    'asset0_out',
    'asset1_in',
    'asset1_out',
    'lp_amount',
    'price',
    'day',
  ],
  heightColumn,
  partitionHeights: 1_000_000,
}

/** One row for each event about a pair itself: as rare as new pairs, so in one piece. */
export const pairChanges: HeightTable = {
  name: 'app.defi_pair_changes',
  columns: [...position, 'pair', 'asset0', 'asset1', 'is_stable', 'fee'],
  heightColumn,
  partitionHeights: undefined,
}
