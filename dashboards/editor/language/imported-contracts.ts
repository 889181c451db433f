import { importedFolder } from '../project/project-state.ts'

/** Contracts of the chain that the project's code imports, as the channel brought them: code by the path of the tab that shows it. */
export class ImportedContracts {
  readonly #codes = new Map<string, string>()

  /** @returns the path of its tab */
  add(address: string, name: string, code: string): string {
    const path = `${importedFolder}/${address.replace(/^0x/, '').toLowerCase()}/${name}.cdc`
    this.#codes.set(path, code)
    return path
  }

  codeOf(path: string): string | undefined {
    return this.#codes.get(path)
  }

  /** The tab of what a language server calls so, in whatever folder it has put the contract. */
  find(path: string): string | undefined {
    const tail = /([0-9a-fA-F]{16})\/(\w+)\.cdc$/.exec(path.replace(/(^|\/)0x/, '$1'))
    const own = tail === null ? undefined : `${importedFolder}/${tail[1]?.toLowerCase() ?? ''}/${tail[2] ?? ''}.cdc`
    return own !== undefined && this.#codes.has(own) ? own : undefined
  }
}
