import { readRepositoryFile } from '../../support/repository.ts'

/** A process in the Procfile. */
export interface ProcfileEntry {
  readonly name: string
  /** Argument of `src/main.ts`. */
  readonly services: readonly string[]
}

/**
 * Parses the Procfile of the repository. @throws SyntaxError for a line that starts another program
 */
export function readProcfile(): ProcfileEntry[] {
  return readRepositoryFile('Procfile')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, services] = /^(\w+): node src\/main\.ts (.+)$/.exec(line) ?? []
      if (name === undefined || services === undefined) throw new SyntaxError(`invalid Procfile line: ${line}`)
      return { name, services: services.split(' ') }
    })
}
