/** The columns of each table that is filled by COPY, in the order in which `appendBlock` writes them. */
export const rawColumns = {
  blocks: ['height', 'id', 'parent_id', 'timestamp', 'collection_count', 'tx_count', 'event_count', 'collection_ids'],
  transactions: [
    'block_height',
    'proposer_sequence_number',
    'gas_limit',
    'gas_used',
    'tx_index',
    'collection_index',
    'proposer_key_index',
    'event_count',
    'status_code',
    'is_evm',
    'id',
    'status',
    'payer_address',
    'proposer_address',
    'authorizers',
    'reference_block_id',
    'script_hash',
    'arguments',
    'error_message',
    'signatures',
  ],
  event_chunks: ['block_height', 'tx_index', 'first_event_index', 'payloads', 'shapes'],
  tx_lookup: ['id', 'block_height', 'tx_index', 'evm_hash'],
  block_lookup: ['id', 'height'],
} as const

export type RawTable = keyof typeof rawColumns

/** In the order in which they are sent. */
export const rawTables: readonly RawTable[] = ['blocks', 'transactions', 'event_chunks', 'tx_lookup', 'block_lookup']
