import { hash } from 'node:crypto'
import RLP from 'rlp'
import { bytesOf, contentsOf, numberOf } from './wire.ts'

/**
 * The id of a transaction: SHA3-256 over the RLP of payload, payload signatures and envelope signatures; a signer is
 * named by its place among proposer, payer and authorizers. Source: flow-go `model/flow/transaction.go`.
 * @param body an `entities.Transaction` message
 */
export function bodyIdOf(body: Buffer): Buffer {
  const proposalKey = bytesOf(body, 5)
  const proposer = orZeros(bytesOf(proposalKey, 1), 8)
  const payer = orZeros(bytesOf(body, 6), 8)
  const authorizers = contentsOf(body, 7)
  const signers = [...new Set([proposer, payer, ...authorizers].map((address) => address.toString('hex')))]
  const signaturesOf = (number: number): (number | Buffer)[][] =>
    contentsOf(body, number).map((signature) => {
      const extension = bytesOf(signature, 4)
      const isPlain = extension.length === 0 || (extension.length === 1 && extension[0] === 0)
      const signer = signers.indexOf(bytesOf(signature, 1).toString('hex'))
      return [signer, numberOf(signature, 2), bytesOf(signature, 3), ...(isPlain ? [] : [extension])]
    })
  const payload = [
    bytesOf(body, 1), contentsOf(body, 2), orZeros(bytesOf(body, 3), 32), numberOf(body, 4), proposer,
    numberOf(proposalKey, 2), numberOf(proposalKey, 3), payer, authorizers,
  ]
  return hash('sha3-256', RLP.encode([payload, signaturesOf(8), signaturesOf(9)]), 'buffer')
}

/** Addresses and block ids are hashed in full length, with zeros where a system transaction leaves them out. */
function orZeros(bytes: Buffer, length: number): Buffer {
  return bytes.length === 0 ? Buffer.alloc(length) : bytes
}
