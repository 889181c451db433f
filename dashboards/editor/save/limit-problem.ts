import type { Limits } from '../contract.ts'
import type { Files } from '../project/file-changes.ts'

const encoder = new TextEncoder()

/**
 * Says why the service that keeps projects would refuse these files, so that people learn it before they save; the service decides. Sizes are in bytes of
 * UTF-8. @returns undefined for files that it takes
 */
export function limitProblem(files: Files, limits: Limits): string | undefined {
  if (files.size > limits.files)
    return `The project has ${files.size} files, and at most ${limits.files} can be saved: delete some, or make two projects of it.`
  let all = 0
  for (const [path, content] of files) {
    const bytes = encoder.encode(content).length
    if (bytes > limits.file_bytes)
      return `${path} has ${bytes} bytes, and files of at most ${limits.file_bytes} can be saved: make it shorter, or two files of it.`
    all += bytes
  }
  return all > limits.project_bytes
    ? `The project has ${all} bytes, and at most ${limits.project_bytes} can be saved: delete something, or make two projects of it.`
    : undefined
}
