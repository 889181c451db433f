import type { RowOf, TableDefinitions, WorkerDefinition } from './define-worker.ts'

export async function deriveRows<Events, Tables extends TableDefinitions>(
  _worker: WorkerDefinition<Events, Tables>,
  _events: readonly unknown[],
): Promise<{ [Name in keyof Tables]: RowOf<Tables[Name]['columns']>[] }> {
  throw new Error()
}
