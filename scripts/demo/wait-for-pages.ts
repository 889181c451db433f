import type { PageBuild } from '../../src/platform/pages/page-build.ts'

/**
 * Reports the progress of the page build until it succeeds, fails or is stopped; further attempts follow a failure.
 * @returns why the pages cannot be opened yet
 */
export async function waitForPages(
  build: Pick<PageBuild, 'folder' | 'progress' | 'changed'>,
  write: (text: string) => unknown,
): Promise<string | undefined> {
  const state = { hasEnded: false }
  const end = (): void => {
    state.hasEnded = true
  }
  const ended = build.folder().then(end, end)
  // One turn for a build that was finished before.
  await Promise.race([ended, Promise.resolve()])
  for (let last = ''; !state.hasEnded && build.progress.failure === undefined;) {
    const { built, total, seconds } = build.progress
    const line = total === 0 ? 'Building the pages…' : `Building the pages: ${built} of ${total} (${seconds} s)…`
    if (line !== last) write(`${line}\n`)
    last = line
    await Promise.race([ended, build.changed()])
  }
  return build.progress.failure
}
