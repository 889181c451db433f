import { hexOf } from '../../../clients/signing/bytes.ts'
import type { FlowTransaction, TransactionSignature } from '../../../clients/signing/encode-transaction.ts'
import type { ChainAccount, ChainHead, ChainResult, Network } from '../contract.ts'
import { callJson, jsonBody } from '../../auth/problem.ts'

/** The chain, by way of the wallet's own service. Every function throws WalletProblem. */

export function readHead(network: Network, signal?: AbortSignal): Promise<ChainHead> {
  return callJson(`/chain/${network}`, signal === undefined ? {} : { signal })
}

export function readAccount(network: Network, address: string, signal?: AbortSignal): Promise<ChainAccount> {
  return callJson(`/chain/${network}/accounts/${address}`, signal === undefined ? {} : { signal })
}

export function readResult(network: Network, id: string, signal?: AbortSignal): Promise<ChainResult> {
  return callJson(`/chain/${network}/transactions/${id}`, signal === undefined ? {} : { signal })
}

/** @returns the id. @throws WalletProblem `transaction-refused` with the words of the node */
export async function submit(network: Network, transaction: FlowTransaction): Promise<string> {
  const { proposalKey } = transaction
  const { id } = await callJson<{ readonly id: string }>(
    `/chain/${network}/transactions`,
    jsonBody({
      script: transaction.script,
      arguments: transaction.arguments,
      reference_block_id: transaction.referenceBlockId,
      compute_limit: transaction.computeLimit,
      proposal_key: {
        address: proposalKey.address,
        key_index: proposalKey.keyIndex,
        sequence_number: String(proposalKey.sequenceNumber),
      },
      payer: transaction.payer,
      authorizers: transaction.authorizers,
      payload_signatures: transaction.payloadSignatures.map(wireSignature),
      envelope_signatures: transaction.envelopeSignatures.map(wireSignature),
    }),
  )
  return id
}

function wireSignature({ address, keyIndex, signature, extensionData }: TransactionSignature): unknown {
  return {
    address,
    key_index: keyIndex,
    signature: hexOf(signature),
    ...(extensionData === undefined ? {} : { extension_data: hexOf(extensionData) }),
  }
}
