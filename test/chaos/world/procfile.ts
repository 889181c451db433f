import { readRepositoryFile } from '../../support/repository.ts'

/** A process as the Procfile has it. */
export interface ProcfileEntry {
  readonly name: string
  /** What `src/main.ts` is told to run. */
  readonly services: readonly string[]
}

/** Reads the Procfile of the repository. @throws SyntaxError for a line that starts something else */
export function readProcfile(): ProcfileEntry[] {
  return readRepositoryFile('Procfile')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, services] = /^(\w+): node src\/main\.ts (.+)$/.exec(line) ?? []
      if (name === undefined || services === undefined) throw new SyntaxError(`not understood in the Procfile: ${line}`)
      return { name, services: services.split(' ') }
    })
}
