import { parentPort, workerData } from 'node:worker_threads'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNodeOptions } from '../../simnode/ledger/ledger-node.ts'

/** The program of a thread: serves the ledger of its data until it is told to stop, and tells where it is. */

const node = await startLedgerNode(workerData as LedgerNodeOptions)
parentPort?.once('message', () => {
  void node.stop().then(() => parentPort?.close())
})
parentPort?.postMessage({ endpoint: node.endpoint, api: node.restUrl }, [])
