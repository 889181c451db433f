import { workers } from '../../jobs/index.ts'
import { someOf } from './options.ts'

export const workerNames: readonly string[] = workers.map(({ name }) => name)

/** Names of workers, separated by commas. */
export function workersOption(description: string): ReturnType<typeof someOf> {
  return someOf('<names>', workerNames, `${description} Names, separated by commas: ${workerNames.join(', ')}.`)
}
