import { parentPort, workerData } from 'node:worker_threads'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNodeOptions } from '../../simnode/ledger/ledger-node.ts'

// Entry of the node's thread: posts its addresses, and stops on the first message.
const node = await startLedgerNode(workerData as LedgerNodeOptions)
parentPort?.once('message', () => {
  void node.stop().then(() => parentPort?.close())
})
parentPort?.postMessage({ endpoint: node.endpoint, api: node.restUrl }, [])
