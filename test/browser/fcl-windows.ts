import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { hexOf, concatBytes } from '../../clients/signing/bytes.ts'
import { domainTag, encodeEnvelope } from '../../clients/signing/encode-transaction.ts'
import type { FlowTransaction } from '../../clients/signing/encode-transaction.ts'
import { sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../clients/signing/transactions/make-transaction.ts'
import { otherAddress } from '../support/fake-wallet.ts'
import { listenLocally } from '../support/listen-locally.ts'

/** Pages that exchange arbitrary messages with wallet windows, without FCL. */
export interface AppPages {
  readonly origin: string
  /** URL of the page, on another site than the wallet. */
  readonly otherOrigin: string
  stop(): Promise<void>
}

export async function startAppPages(): Promise<AppPages> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      '<!doctype html><title>An application</title><h1>An application</h1><script>window.heard = []; addEventListener("message", ({ data }) => heard.push(data))</script>',
    )
  })
  const { url, port, stop } = await listenLocally(server)
  return {
    origin: url,
    otherOrigin: `http://other.localhost:${port}`,
    stop,
  }
}

/** The message of an application's request. */
export function signRequest(body: unknown, network = 'emulator'): object {
  return { type: 'FCL:VIEW:READY:RESPONSE', body, config: { client: { network }, app: { title: 'Your bank' } } }
}

/** Opens a window and sends a request once it is ready. */
export async function openWindow(page: Page, url: string, body: unknown, network?: string): Promise<Page> {
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(`(() => {
    addEventListener('message', ({ data, source }) => { if (data.type === 'FCL:VIEW:READY') source.postMessage(${JSON.stringify(signRequest(body, network))}, '*') })
    window.popup = window.open(${JSON.stringify(url)}, 'wallet', 'width=480,height=720')
  })()`),
  ])
  return popup
}

/** Waits for the response of a window. */
export async function answerIn(page: Page): Promise<{
  readonly status: string
  readonly reason: string | null
  readonly data: Readonly<Record<string, unknown>> | null
}> {
  await page.waitForFunction("heard.some(({ type }) => type === 'FCL:VIEW:RESPONSE')")
  return page.evaluate("heard.find(({ type }) => type === 'FCL:VIEW:RESPONSE')")
}

/** A transaction that one account pays and authorizes. */
export function ownTransaction(
  address: string,
  code: TransactionCode = sendFlow('emulator', { amount: 1_250_000_000n, to: otherAddress() }),
): FlowTransaction {
  return {
    ...code,
    referenceBlockId: 'cd'.repeat(32),
    computeLimit: 999,
    payer: address,
    authorizers: [address],
    proposalKey: { address, keyIndex: 0, sequenceNumber: 0n },
    payloadSignatures: [],
    envelopeSignatures: [],
  }
}

/**
 * The signable that FCL passes to a wallet.
 * @param shown contents of the voucher. Default: the signed ones
 */
export function signableOf(transaction: FlowTransaction, shown = transaction): object {
  const { proposalKey, payer, authorizers, computeLimit, referenceBlockId } = shown
  return {
    f_type: 'Signable',
    f_vsn: '1.0.1',
    message: hexOf(concatBytes(domainTag('transaction'), encodeEnvelope(transaction))),
    addr: payer.slice(2),
    keyId: 0,
    voucher: {
      cadence: shown.script,
      refBlock: referenceBlockId,
      computeLimit,
      arguments: shown.arguments.map((argument) => JSON.parse(argument) as unknown),
      proposalKey: {
        address: proposalKey.address,
        keyId: proposalKey.keyIndex,
        sequenceNum: Number(proposalKey.sequenceNumber),
      },
      payer,
      authorizers,
      payloadSigs: [],
      envelopeSigs: [{ address: payer, keyId: 0, sig: null }],
    },
  }
}
