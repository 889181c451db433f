import type { GoldQuestion } from './gold-question.ts'

const target = 'indexer'
const flow = 'A.{flowToken}.FlowToken'

/** About fungible tokens, items and swaps. */
export const tokenGold: readonly GoldQuestion[] = [
  {
    id: 'tokens-seen',
    target,
    question: 'Which fungible tokens were seen to move?',
    accepted: ['select token from app.ft_tokens', 'select distinct token from app.ft_transfers'],
  },
  {
    id: 'flow-holders',
    target,
    question: 'How many accounts hold FLOW?',
    accepted: [
      `select holder_count from app.ft_token_holders where token = '${flow}'`,
      `select count(*) from app.ft_holdings where token = '${flow}' and balance > 0`,
    ],
  },
  {
    id: 'holders-by-symbol',
    target,
    question: 'How many holders does each fungible token have? Show its symbol.',
    accepted: [
      'select m.symbol, h.holder_count from app.ft_token_holders h join app.ft_token_metadata m on m.token = h.token',
      'select m.symbol, count(*) from app.ft_holdings h join app.ft_token_metadata m on m.token = h.token where ' +
        'h.balance > 0 group by m.symbol',
    ],
  },
  {
    id: 'holders-of-peb',
    target,
    question: '有多少账户同时持有 PEB 和 FLOW？',
    accepted: [
      `select count(*) from (
  select h.address from app.ft_holdings h join app.ft_token_metadata m on m.token = h.token
  where m.symbol in ('PEB', 'FLOW') and h.balance > 0 group by h.address having count(*) = 2) a`,
    ],
  },
  {
    id: 'transfers-by-type',
    target,
    question: 'How many movements of fungible tokens are there of each transfer type?',
    accepted: ['select transfer_type, count(*) from app.ft_transfers group by transfer_type'],
  },
  {
    id: 'largest-transfer',
    target,
    question: 'What is the largest amount of FLOW that was sent as a plain transfer?',
    accepted: [`select max(amount) from app.ft_transfers where token = '${flow}' and transfer_type = 'transfer'`],
  },
  {
    id: 'third-richest',
    target,
    question: 'Which account has the third largest FLOW balance, and how much?',
    accepted: [
      `select address, balance from app.ft_holdings where token = '${flow}' order by balance desc offset 2 limit 1`,
      `select address, balance from (select address, balance, dense_rank() over (order by balance desc) as place
        from app.ft_holdings where token = '${flow}') r where place = 3`,
    ],
  },
  {
    id: 'median-transfer',
    target,
    question: 'What is the median amount of plain FLOW transfers?',
    accepted: [
      `select percentile_cont(0.5) within group (order by amount) from app.ft_transfers
        where token = '${flow}' and transfer_type = 'transfer'`,
    ],
    tolerance: 1e-6,
  },
  {
    id: 'minted-and-burned',
    target,
    question: 'How much of each token was minted and burned?',
    accepted: ['select token, minted, burned from app.ft_token_totals'],
  },
  {
    id: 'self-transfers',
    target,
    question: 'How many plain transfers went from an account to itself?',
    accepted: [`select count(*) from app.ft_transfers where transfer_type = 'transfer' and from_address = to_address`],
  },
  {
    id: 'bridged-into-evm',
    target,
    question: '有多少 FLOW 被转入 EVM？',
    accepted: [
      `select sum(amount) from app.ft_transfers where token =
        '${flow}' and transfer_type = 'bridge' and length(to_address) = 42`,
      `select sum(amount) from app.ft_transfers where token =
        '${flow}' and transfer_type = 'bridge' and to_address like '0x________________________________________'`,
    ],
  },
  {
    id: 'two-tokens',
    target,
    question: 'How many accounts hold at least two different fungible tokens?',
    accepted: [
      'select count(*) from (select address from app.ft_holdings where balance > 0 group by address having ' +
        'count(*) >= 2) a',
      'select count(distinct a.address) from app.ft_holdings a join app.ft_holdings b on b.address = a.address and ' +
        'b.token > a.token where a.balance > 0 and b.balance > 0',
    ],
  },
  {
    id: 'transfers-per-day',
    target,
    question: 'How many movements of fungible tokens, without fees, were there on each day? Newest first.',
    accepted: ['select day, ft_transfer_count from app.daily_stats order by day desc'],
    order: [0],
  },
  {
    id: 'collections',
    target,
    question: 'How many items does each NFT collection have?',
    accepted: [
      'select token, item_count from app.nft_collection_stats',
      'select token, count(*) from app.nft_ownership where not is_burned group by token',
    ],
  },
  {
    id: 'night-trains',
    target,
    question: 'How many transfers of Night Trains were there, mints and burns not counted?',
    accepted: [
      `select count(*) from app.nft_transfers t join app.nft_collection_metadata m on m.token = t.token
where m.name = 'Night Trains' and t.transfer_type = 'transfer'`,
    ],
  },
  {
    id: 'nft-mints',
    target,
    question: 'How many NFTs were minted per collection?',
    accepted: [
      'select token, mint_count from app.nft_collection_totals',
      `select token, count(*) from app.nft_transfers where transfer_type = 'mint' group by token`,
    ],
  },
  {
    id: 'sales-made',
    target,
    question: 'How many listings of the marketplace were sold, and for how much in all?',
    accepted: [
      `select count(*), sum((payload->>'salePrice')::numeric) from raw.events
where type = 'A.{nftStorefront}.NFTStorefrontV2.ListingCompleted' and payload->>'purchased' = 'true'`,
    ],
  },
  {
    id: 'best-paid-collection',
    target,
    question:
      'Which collection had the highest average sale price on the marketplace? Give the item type and the average.',
    accepted: [
      `select payload->>'nftType', avg((payload->>'salePrice')::numeric) as price from raw.events
where type = 'A.{nftStorefront}.NFTStorefrontV2.ListingCompleted' and (payload->>'purchased')::boolean
group by 1 order by price desc limit 1`,
    ],
    tolerance: 1e-6,
  },
  {
    id: 'swaps-per-pair',
    target,
    question: 'How many swaps did each pair have?',
    accepted: [
      'select pair, sum(swap_count) from app.defi_pair_days group by pair',
      `select pair, count(*) from app.defi_events where event_type = 'Swap' group by pair`,
    ],
  },
  {
    id: 'traders',
    target,
    question: '一共有多少个不同的账户做过兑换？',
    accepted: [`select count(distinct maker) from app.defi_events where event_type = 'Swap'`],
  },
  {
    id: 'swap-flow-volume',
    target,
    question: 'How much FLOW was swapped in all pairs together, in and out?',
    accepted: [
      `select sum(case when p.asset0 = '${flow}' then d.volume0 else 0 end + case when p.asset1 =
        '${flow}' then d.volume1 else 0 end) from app.defi_pair_days d join app.defi_pairs p using (pair)`,
      `select sum(coalesce(asset0_in, 0) + coalesce(asset0_out, 0)) from app.defi_events
        where event_type = 'Swap' and asset0 = '${flow}'`,
    ],
  },
  {
    id: 'price-range',
    target,
    question: 'What were the lowest and the highest price of each pair?',
    accepted: [`select pair, min(price), max(price) from app.defi_events where event_type = 'Swap' group by pair`],
    tolerance: 1e-9,
  },
]
