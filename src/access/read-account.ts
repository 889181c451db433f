import { fromBinary } from '@bufbuild/protobuf'
import type { ChainAccount } from '../chain/chain-reader.ts'
import { addressText } from '../chain/address.ts'
import { AccountResponseSchema } from './gen/flow/access/access_pb.ts'
import { WireError } from './wire/wire-error.ts'

const unitsPerFlow = 100_000_000n

/**
 * Reads an `AccountResponse`.
 * @throws WireError where it is none, or holds no account
 */
export function readAccountResponse(answer: Buffer): ChainAccount {
  const { account } = decode(answer)
  if (account === undefined) throw new WireError('answer without an account', 0)
  return {
    address: addressText(account.address),
    balance: `${account.balance / unitsPerFlow}.${(account.balance % unitsPerFlow).toString().padStart(8, '0')}`,
    keys: account.keys.map((key) => ({
      index: key.index,
      publicKey: Buffer.from(key.publicKey).toString('hex'),
      signatureAlgorithm: key.signAlgo,
      hashAlgorithm: key.hashAlgo,
      weight: key.weight,
      sequenceNumber: key.sequenceNumber,
      isRevoked: key.revoked,
    })),
    contracts: new Map(Object.entries(account.contracts).map(([name, code]) => [name, Buffer.from(code)])),
  }
}

function decode(answer: Buffer) {
  try {
    return fromBinary(AccountResponseSchema, answer)
  } catch (error) {
    throw new WireError(error instanceof Error ? error.message : String(error), 0)
  }
}
