import type pg from 'pg'
import type { LoadOptions } from './measure-load.ts'

export async function measureSkewed(_database: { readonly url: string; readonly pool: pg.Pool; readonly isFilled: boolean }, _transfers: number, _load: LoadOptions): Promise<void> {
  await Promise.resolve()
}
