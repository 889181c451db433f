import type { Location } from 'vscode-languageserver-protocol'
import type { Declaration } from '../../../flow/cadence/declaration.ts'
import { meaningOf, useAt } from '../../../flow/cadence/resolve-name.ts'
import type { NameUse } from '../../../flow/cadence/program-outline.ts'
import type { ParsedSource } from './parse-source.ts'

/** A file that a source imports. */
export interface ImportedFile {
  /** As the import has it in its quotes. */
  readonly location: string
  readonly uri: string
  readonly code: string
}

/** A source whose imports lead to the contracts of other files. */
export class LinkedSource {
  readonly source: ParsedSource
  readonly #uri: string
  readonly #homes = new Map<Declaration, { readonly uri: string; readonly source: ParsedSource }>()

  /** @param parsed gives a file that is imported, parsed by itself: what is in it is changed by nobody */
  constructor(
    uri: string,
    source: ParsedSource,
    files: readonly ImportedFile[],
    parsed: (code: string) => ParsedSource,
  ) {
    this.#uri = uri
    this.source = source
    for (const declaration of source.outline.declarations) {
      const file =
        declaration.kind === 'import' ? files.find(({ location }) => location === declaration.location) : undefined
      if (file === undefined) continue
      const home = { uri: file.uri, source: parsed(file.code) }
      const contract = contractOf(declaration, home.source)
      if (contract === undefined) continue
      this.#homes.set(declaration, home)
      this.#contracts.set(declaration, contract)
      this.#settle(contract, home)
      // From here on the import has the members of what it imports.
      declaration.members.splice(0, Infinity, ...contract.members)
    }
  }

  readonly #contracts = new Map<Declaration, Declaration>()

  /** The name at an offset of the source; at the end of a name too. */
  useAt(offset: number): NameUse | undefined {
    const byte = this.source.places.byteOfOffset(offset)
    return useAt(this.source.outline, byte) ?? (byte === 0 ? undefined : useAt(this.source.outline, byte - 1))
  }

  /** What a name means, in this file or another. */
  declarationOf(use: NameUse): Declaration | undefined {
    const meaning = meaningOf(use, this.source.outline)
    if (meaning.kind === 'foreign') return meaning.contract.members.find(({ name }) => name === meaning.member)
    return meaning.kind === 'declared' ? meaning.declaration : undefined
  }

  /** The same, and through an import to the contract itself. */
  target(declaration: Declaration): Declaration {
    return this.#contracts.get(declaration) ?? declaration
  }

  /** Where the name of a declaration stands. */
  locationOf(declaration: Declaration): Location {
    const target = this.target(declaration)
    const { uri, source } = this.#homes.get(target) ?? { uri: this.#uri, source: this.source }
    return {
      uri,
      range: source.places.rangeOfBytes(target.nameStart, target.nameStart + Buffer.byteLength(target.name) - 1),
    }
  }

  /** Whether a declaration is of the source itself. */
  isOwn(declaration: Declaration): boolean {
    return !this.#homes.has(declaration)
  }

  #settle(declaration: Declaration, home: { readonly uri: string; readonly source: ParsedSource }): void {
    this.#homes.set(declaration, home)
    for (const member of declaration.members) this.#settle(member, home)
  }
}

/** The contract that an import brings; one with another name where the import renames the only one. */
function contractOf({ name }: Declaration, { outline }: ParsedSource): Declaration | undefined {
  const contracts = outline.declarations.filter(({ kind }) => kind !== 'import' && kind !== 'parameter')
  return (
    contracts.find((declaration) => declaration.name === name) ?? (contracts.length === 1 ? contracts[0] : undefined)
  )
}
