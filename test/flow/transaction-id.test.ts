import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { readTransactionResultsResponse } from '../../src/access/wire/read-results.ts'
import { readTransactionsResponse } from '../../src/access/wire/read-transactions.ts'
import { transactionId } from '../../src/flow/transactions/transaction-id.ts'

interface Call {
  readonly method: string
  readonly height?: number
  readonly response?: string
}

function callsOf(folder: string): Map<string, Call[]> {
  const url = new URL(`../recordings/${folder}/`, import.meta.url)
  const files = readdirSync(url).filter((name) => name.startsWith('calls'))
  return new Map(
    files.map((name) => {
      const text = gunzipSync(readFileSync(new URL(name, url))).toString('utf8')
      return [
        name,
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Call),
      ]
    }),
  )
}

/** The last response to a call at each height of a recording. */
function answers(calls: readonly Call[], method: string): Map<number, Buffer> {
  const out = new Map<number, Buffer>()
  for (const call of calls) {
    if (call.method === method && call.height !== undefined && call.response !== undefined) {
      out.set(call.height, Buffer.from(call.response, 'base64'))
    }
  }
  return out
}

describe('transaction ids of recorded blocks', () => {
  for (const folder of ['base', 'fork']) {
    it(`equal the ids in the results: ${folder}`, () => {
      let compared = 0
      for (const [file, calls] of callsOf(folder)) {
        const results = answers(calls, 'GetTransactionResultsByBlockID')
        for (const [height, answer] of answers(calls, 'GetTransactionsByBlockID')) {
          const known = readTransactionResultsResponse(results.get(height) ?? Buffer.alloc(0)).map((r) =>
            r.transactionId.toString('hex'),
          )
          const computed = readTransactionsResponse(answer).map((body) => transactionId(body).toString('hex'))
          expect(computed, `${file}, height ${height}`).to.deep.equal(known)
          compared += computed.length
        }
      }
      expect(compared).to.equal(folder === 'base' ? 1278 : 214)
    })
  }
})
