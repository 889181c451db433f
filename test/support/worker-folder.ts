import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The worker of `writeWorkerFolder`. */
export const folderWorker = { name: 'own_moves', contract: 'A.0ae53cb6e3f42a79.FlowToken' } as const

const code = `
  import { defineWorker } from 'flowfarm/worker'
  export default defineWorker()({
    contract: '${folderWorker.contract}',
    version: 1,
    tables: { moves: { columns: { name: { type: 'text' }, amount: { type: 'numeric', optional: true } } } },
    folds: {
      totals: { kind: 'sum', of: 'moves', key: ['name'], count: 'moves', sums: { volume: 'amount' } },
      latest: { kind: 'latest', of: 'moves', key: ['name'], columns: ['amount', 'block_height'] },
    },
    derive(event, write) {
      write.moves({ name: event.name, amount: event.fields.amount })
    },
  } as never)`

/** A value for WORKERS_DIR: a worker for the events of FlowToken on an emulator. */
export async function writeWorkerFolder(parent: string): Promise<void> {
  await mkdir(join(parent, 'moves'), { recursive: true })
  await writeFile(join(parent, 'moves/worker.ts'), code)
}
