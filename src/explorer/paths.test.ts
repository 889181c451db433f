import { expect } from 'chai'
import { declaredPath, topLevelSegments } from './paths.ts'

const topLevel = topLevelSegments([
  '/flow/block',
  '/health',
  '/status',
  '/openapi.json',
  '/ws/status',
  '/staking/delegator',
  '/insights/daily',
])

const cases: readonly (readonly [asked: string, declared: string])[] = [
  ['/flow/block', '/flow/block'],
  ['/flow/v1/block/7', '/flow/block/7'],
  ['/api/v1/flow/v1/block/7', '/flow/block/7'],
  ['/staking/v1/delegator', '/staking/delegator'],
  ['/chain/v1/block', '/flow/block'],
  ['/chain/v1/flow/block', '/flow/block'],
  ['/chain/v1/health', '/health'],
  ['/chain/v1/openapi.json', '/openapi.json'],
  ['/chain/v1/staking/delegator', '/staking/delegator'],
  ['/chain/v1/ws/status', '/ws/status'],
  ['/api/v1/chain/v1/block/7/transaction', '/flow/block/7/transaction'],
  ['/api/v1/chain/v1/flow/transaction', '/flow/transaction'],
  ['/api/v1/chain/v1/status', '/status'],
  ['/api/v1/other', '/api/v1/other'],
  ['/chain/v1', '/chain/v1'],
  ['/flow/v1', '/flow/v1'],
  ['/chain/v2/block', '/chain/v2/block'],
  ['/', '/'],
  ['/flow/address/0x1/ft', '/flow/account/0x1/ft'],
  ['/chain/v1/address/0x1/ft', '/flow/account/0x1/ft'],
  ['/flow/v1/address/0x1', '/flow/account/0x1'],
  ['/flow/evm/address/0x1/token', '/flow/evm/address/0x1/token'],
  ['/flow/v1/evm/address/0x1/transfer', '/flow/evm/address/0x1/token-transfers'],
  ['/accounting/account/0x1/transaction', '/flow/account/0x1/transaction'],
  ['/accounting/address/0x1', '/flow/account/0x1'],
  ['/accounting/v1/transaction/ab', '/flow/transaction/ab'],
  ['/accounting/block', '/accounting/block'],
  ['/analytics/daily/module/evm', '/insights/daily/module/evm'],
  ['/chain/v1/analytics/daily', '/insights/daily'],
  ['/api/v1/chain/v1/accounting/account/0x1', '/flow/account/0x1'],
]

describe('declaredPath', () => {
  for (const [requested, declared] of cases) {
    it(`reads ${requested} as ${declared}`, () => {
      expect(declaredPath(requested, topLevel)).to.equal(declared)
    })
  }
})
