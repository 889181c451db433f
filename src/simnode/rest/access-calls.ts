import {
  AccountBalanceResponseSchema, AccountKeyResponseSchema, AccountKeysResponseSchema, AccountResponseSchema, BlockResponseSchema,
  CollectionResponseSchema, EventsResponseSchema, ExecuteScriptAtBlockHeightRequestSchema, ExecuteScriptAtBlockIDRequestSchema,
  ExecuteScriptAtLatestBlockRequestSchema, ExecuteScriptResponseSchema, GetAccountAtBlockHeightRequestSchema,
  GetAccountAtLatestBlockRequestSchema, GetAccountBalanceAtBlockHeightRequestSchema, GetAccountBalanceAtLatestBlockRequestSchema,
  GetAccountKeyAtBlockHeightRequestSchema, GetAccountKeyAtLatestBlockRequestSchema, GetAccountKeysAtBlockHeightRequestSchema,
  GetAccountKeysAtLatestBlockRequestSchema, GetBlockByHeightRequestSchema, GetBlockByIDRequestSchema, GetCollectionByIDRequestSchema,
  GetEventsForBlockIDsRequestSchema, GetEventsForHeightRangeRequestSchema, GetLatestBlockRequestSchema,
  GetNetworkParametersRequestSchema, GetNetworkParametersResponseSchema, GetNodeVersionInfoRequestSchema,
  GetNodeVersionInfoResponseSchema, GetTransactionRequestSchema, SendTransactionRequestSchema, SendTransactionResponseSchema,
  TransactionResponseSchema, TransactionResultResponseSchema,
} from '../../access/gen/flow/access/access_pb.ts'

/** The calls of the access API that REST is answered by, each with its messages. */
export const accessCalls = {
  latestBlock: { method: 'GetLatestBlock', request: GetLatestBlockRequestSchema, answer: BlockResponseSchema },
  blockByHeight: { method: 'GetBlockByHeight', request: GetBlockByHeightRequestSchema, answer: BlockResponseSchema },
  blockById: { method: 'GetBlockByID', request: GetBlockByIDRequestSchema, answer: BlockResponseSchema },
  collection: { method: 'GetCollectionByID', request: GetCollectionByIDRequestSchema, answer: CollectionResponseSchema },
  latestAccount: {
    method: 'GetAccountAtLatestBlock', request: GetAccountAtLatestBlockRequestSchema, answer: AccountResponseSchema,
  },
  account: { method: 'GetAccountAtBlockHeight', request: GetAccountAtBlockHeightRequestSchema, answer: AccountResponseSchema },
  latestBalance: {
    method: 'GetAccountBalanceAtLatestBlock', request: GetAccountBalanceAtLatestBlockRequestSchema, answer: AccountBalanceResponseSchema,
  },
  balance: {
    method: 'GetAccountBalanceAtBlockHeight', request: GetAccountBalanceAtBlockHeightRequestSchema, answer: AccountBalanceResponseSchema,
  },
  latestKeys: {
    method: 'GetAccountKeysAtLatestBlock', request: GetAccountKeysAtLatestBlockRequestSchema, answer: AccountKeysResponseSchema,
  },
  keys: { method: 'GetAccountKeysAtBlockHeight', request: GetAccountKeysAtBlockHeightRequestSchema, answer: AccountKeysResponseSchema },
  latestKey: { method: 'GetAccountKeyAtLatestBlock', request: GetAccountKeyAtLatestBlockRequestSchema, answer: AccountKeyResponseSchema },
  key: { method: 'GetAccountKeyAtBlockHeight', request: GetAccountKeyAtBlockHeightRequestSchema, answer: AccountKeyResponseSchema },
  scriptAtLatest: {
    method: 'ExecuteScriptAtLatestBlock', request: ExecuteScriptAtLatestBlockRequestSchema, answer: ExecuteScriptResponseSchema,
  },
  scriptAtHeight: {
    method: 'ExecuteScriptAtBlockHeight', request: ExecuteScriptAtBlockHeightRequestSchema, answer: ExecuteScriptResponseSchema,
  },
  scriptAtId: { method: 'ExecuteScriptAtBlockID', request: ExecuteScriptAtBlockIDRequestSchema, answer: ExecuteScriptResponseSchema },
  send: { method: 'SendTransaction', request: SendTransactionRequestSchema, answer: SendTransactionResponseSchema },
  transaction: { method: 'GetTransaction', request: GetTransactionRequestSchema, answer: TransactionResponseSchema },
  result: { method: 'GetTransactionResult', request: GetTransactionRequestSchema, answer: TransactionResultResponseSchema },
  eventsOfHeights: { method: 'GetEventsForHeightRange', request: GetEventsForHeightRangeRequestSchema, answer: EventsResponseSchema },
  eventsOfBlocks: { method: 'GetEventsForBlockIDs', request: GetEventsForBlockIDsRequestSchema, answer: EventsResponseSchema },
  networkParameters: {
    method: 'GetNetworkParameters', request: GetNetworkParametersRequestSchema, answer: GetNetworkParametersResponseSchema,
  },
  versionInfo: { method: 'GetNodeVersionInfo', request: GetNodeVersionInfoRequestSchema, answer: GetNodeVersionInfoResponseSchema },
} as const
