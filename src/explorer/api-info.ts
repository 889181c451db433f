import type { ApiInfo } from '../platform/http/openapi.ts'

/** The introduction of the reference: `## ` begins a section, `- ` a list, four spaces code. */
const description = [
  'Indexed data of the Flow blockchain: blocks, transactions, accounts, tokens, contracts, staking and EVM.',
  'Every path is also served under `/chain/v1/` and `/api/v1/chain/v1/`. Clients of the Flow explorer API can use ' +
    'its aliases: `/flow/address/…` for `/flow/account/…`, `/accounting/account/…` and `/accounting/transaction/…` ' +
    'for the same paths below `/flow`, `/analytics/…` for `/insights/…`, ' +
    '`/flow/evm/address/{address}/transfer` for `…/token-transfers`.',
  '## Authentication',
  'Reading needs no key. A developer key in `X-API-Key` raises the rate limits and owns webhooks. Administrators ' +
    'send `Authorization: Bearer`.',
  'The headers `RateLimit` and `RateLimit-Policy` state the limit and the rest of it; a 429 has `Retry-After`, in ' +
    'seconds.',
  '## Pagination',
  'Lists return `data`, `has_more` and `cursor`. While `has_more` is true, repeat the request with `cursor` to get ' +
    'the next page. A cursor is a position, so new blocks never repeat or skip items.',
  '`limit` sets the page size; a value out of range is an error. A page of a filtered list may hold fewer items than ' +
    '`limit`: check `has_more`, not the number of items.',
  [
    `    let cursor = ''`,
    '    do {',
    '      const response = await fetch(`/flow/block?limit=100&cursor=${cursor}`)',
    '      const page = await response.json()',
    '      for (const block of page.data) console.log(block.height)',
    '      cursor = page.cursor',
    `    } while (cursor !== '')`,
  ].join('\n'),
  '## Errors',
  'Errors are problem details (RFC 9457) with the media type `application/problem+json`. `code` is stable, `detail` ' +
    'is for people, and `field` names the invalid parameter. Report `request_id` with a problem.',
  [
    '- `400` a parameter or body field is invalid (`invalid-parameter`)',
    '- `401`, `403` credentials are missing, wrong or not sufficient',
    '- `404` the path or the item is unknown (`unknown-path`, `unknown-block` and so on)',
    '- `429` too many requests (`rate-limited`): wait for `Retry-After`',
    '- `503` temporarily unavailable: retry after `Retry-After`',
  ].join('\n'),
  [
    '    {',
    '      "type": "urn:flowfarm:problem:invalid-parameter",',
    '      "title": "Bad request",',
    '      "status": 400,',
    '      "detail": "Parameter \\"limit\\" must be a whole number from 1 to 100.",',
    '      "code": "invalid-parameter",',
    '      "field": "limit",',
    '      "request_id": "2f1c1a52-6ff5-4c4e-9d0a-0d4f2f2f3a11"',
    '    }',
  ].join('\n'),
  '## Formats',
  'Amounts are decimal strings, times are ISO 8601 in UTC. Addresses have `0x` and 16 hex digits (EVM: 40), ids 64 ' +
    'hex digits without `0x`. Tokens and contracts are `A.<address>.<name>`.',
  '## Live feeds',
  'Live feeds are WebSockets: `/ws` (blocks and transactions) and `/ws/status` (indexing status every 3 seconds). ' +
    'Clients of `/ws` can filter by account, tag, contract and template, and resume without gaps after a disconnect.',
  '## Clients',
  'A typed JavaScript client is in `clients/javascript` of the repository: no dependencies, for browsers and Node.',
  [
    `    import { Flowfarm } from 'flowfarm-client'`,
    `    const api = new Flowfarm('https://explorer.example')`,
    `    for await (const { id } of api.list('/flow/transaction')) console.log(id)`,
  ].join('\n'),
]

export const apiInfo: ApiInfo = {
  title: 'flowfarm explorer API',
  description: description.join('\n\n'),
  changelog: [
    {
      date: '2026-11-27',
      changes: [
        'Lists skip up to 500 items by `offset` and report `_meta.has_more`; `/flow/ft` returns up to 500 ' +
          'tokens a page.',
      ],
    },
    {
      date: '2026-11-26',
      changes: [
        'First release: the paths of the Flow explorer API, with cursors, problem details and exact decimal amounts.',
        'Live feeds resume without gaps; webhooks are signed, ordered and retried.',
      ],
    },
  ],
  servers: ['/', '/chain/v1', '/api/v1/chain/v1'],
  securitySchemes: {
    key: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'Developer key: raises rate limits and manages webhooks.',
    },
    userToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'JWT of a user of the authentication service, or developer key.',
    },
    admin: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN or administrator JWT.' },
  },
  securityOf: ({ access, isLimited }) => {
    if (access === 'admin') return [{ admin: [] }]
    if (access === 'owner' || access === 'webhooks') return [{ key: [] }, { userToken: [] }]
    return isLimited ? [{}, { key: [] }] : []
  },
  sharedErrors: {
    UnknownKey: 'The `X-API-Key` is unknown or revoked.',
    TooManyRequests: 'Too many requests. Retry after `Retry-After`.',
    InternalError: 'Internal error.',
  },
  sharedErrorsOf: ({ isLimited, errorForm }) =>
    errorForm === undefined
      ? { ...(isLimited ? { 401: 'UnknownKey', 429: 'TooManyRequests' } : {}), 500: 'InternalError' }
      : {},
  errorsOf: ({ access, errorForm }) => ({
    ...(access === 'admin'
      ? {
          401: 'Credentials are missing, invalid or expired.',
          403: 'Administrator role required, or the admin routes are disabled.',
        }
      : {}),
    // Other error formats cannot refer to the shared errors.
    ...(errorForm === undefined
      ? {}
      : {
          429: 'Too many requests. Retry after `Retry-After`.',
          500: 'Internal error.',
        }),
  }),
}
