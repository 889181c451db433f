import { expect } from 'chai'
import { GrpcError } from '../transport/grpc-status.ts'
import type { GrpcCode } from '../transport/grpc-status.ts'
import { nodeFault } from './node-errors.ts'
import type { FaultKind } from './node-errors.ts'
import { InconsistentResponseError, PartMissingError } from '../chain-source.ts'
import { WireError } from '../wire/wire-reader.ts'

function fault(code: GrpcCode, message: string) {
  return nodeFault(new GrpcError(code, message, { method: 'GetBlockByHeight', endpoint: 'node:9000' }))
}

describe('nodeFault', () => {
  it('parses the root height from flow-go messages', () => {
    const spork =
      'block height 27341469 is less than the spork root block height 27341470. ' +
      'Try to use a historic node: key not found'
    expect(fault('NOT_FOUND', spork)).to.include({ kind: 'below-root', rootHeight: 27_341_470 })
    const node =
      "block height 137390200 is less than the node's root block height 137500000. " +
      'Try to use a different Access node: key not found'
    expect(fault('NOT_FOUND', node)).to.include({ kind: 'below-root', rootHeight: 137_500_000 })
  })

  const cases: [GrpcCode, string, FaultKind][] = [
    ['NOT_FOUND', 'not found: key not found', 'not-found'],
    ['NOT_FOUND', 'could not find block at height 281', 'not-found'],
    ['NOT_FOUND', 'insufficient execution receipts found (0) for block ID: 8a', 'not-found'],
    ['FAILED_PRECONDITION', 'index is initializing', 'not-ready'],
    ['OUT_OF_RANGE', 'height 9 is beyond the indexed range', 'not-ready'],
    ['RESOURCE_EXHAUSTED', 'GetBlockByHeight rate limit reached, please retry later.', 'rate-limited'],
    [
      'RESOURCE_EXHAUSTED',
      'script execution computation limit exceeded: [Error Code: 1110] computation exceeds limit (100000)',
      'script-limit',
    ],
    ['RESOURCE_EXHAUSTED', 'script execution memory limit exceeded: [Error Code: 1114]', 'script-limit'],
    ['RESOURCE_EXHAUSTED', 'grpc: received message larger than max (70000000 vs. 67108864)', 'too-large'],
    ['RESOURCE_EXHAUSTED', 'grpc: trying to send message larger than max (1100000000 vs. 1073741824)', 'too-large'],
    ['RESOURCE_EXHAUSTED', 'Received message larger than max (5000000 vs 4194304)', 'too-large'],
    ['RESOURCE_EXHAUSTED', 'Received message that decompresses to a size larger than 4194304', 'too-large'],
    ['UNIMPLEMENTED', 'unknown service flow.access.AccessAPI', 'unimplemented'],
    ['UNIMPLEMENTED', 'unknown method GetTransactionsByBlockID for service flow.access.AccessAPI', 'unimplemented'],
    ['INTERNAL', 'transaction failed but error message is empty for tx ID: 1f block ID: 2a', 'failed-without-text'],
    [
      'INTERNAL',
      'failed to convert events in blockID 8a: could not convert event payload from CCF to Json: eof',
      'encoding',
    ],
    ['INTERNAL', 'failed to retrieve result from any execution node: 3 errors occurred', 'internal'],
    ['INTERNAL', 'failed to get system transactions could not find entity', 'internal'],
    ['DEADLINE_EXCEEDED', 'deadline exceeded', 'timeout'],
    ['UNAVAILABLE', 'connect ECONNREFUSED', 'unavailable'],
    ['CANCELLED', 'stream was reset', 'unavailable'],
    ['INVALID_ARGUMENT', 'invalid block id', 'refused'],
  ]
  for (const [code, text, kind] of cases) {
    it(`classifies ${code} “${text}” as ${kind}`, () => {
      expect(fault(code, text)).to.include({ kind })
    })
  }

  it('recognizes invalid responses and ignores other errors', () => {
    expect(nodeFault(new WireError('varint too long', 3))).to.include({ kind: 'malformed' })
    expect(nodeFault(new InconsistentResponseError('node:9000', 5, 'height 6'))).to.include({ kind: 'inconsistent' })
    expect(nodeFault(new PartMissingError('node:9000', 5, new Error('gone')))).to.include({ kind: 'part-missing' })
    expect(nodeFault(new TypeError('a bug'))).to.equal(undefined)
  })
})
