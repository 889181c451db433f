import type { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { GitHubCall } from './github-client.ts'

/** Checks an answer of GitHub. @throws ApiError 502 `github-answer` where it is not what its documentation says */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data)
  if (result.success) return result.data
  throw new ApiError(502, 'github-answer', 'GitHub gave an answer that cannot be read.', {
    details: { at: result.error.issues[0]?.path.join('.') ?? '' },
  })
}

const perPage = 100

/**
 * All pages of a list, or as many as are allowed.
 * @param read takes the items out of an answer
 */
export async function allPages<Item>(
  call: GitHubCall,
  route: string,
  parameters: Readonly<Record<string, unknown>>,
  read: (data: unknown) => readonly Item[],
  mostPages = 20,
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; page <= mostPages; page++) {
    const found = read(await call(route, { ...parameters, per_page: perPage, page }))
    items.push(...found)
    if (found.length < perPage) break
  }
  return items
}
