/** A name that a source declares. */
export interface Declaration {
  /** In words: `contract`, `resource`, `function`, `field`, `constant`, `parameter`, `import` … */
  readonly kind: string
  readonly name: string
  /** `access(all)`; undefined where the source says nothing. */
  readonly access: string | undefined
  /** Its head as it is written, without its body. */
  readonly signature: string
  /** What its comment says; '' where it has none. */
  readonly doc: string
  /** The type that the source gives it: of a field, a parameter, a constant. */
  readonly type: string | undefined
  /** Bytes, the last one included. */
  readonly start: number
  readonly end: number
  /** Where the name itself stands. */
  readonly nameStart: number
  readonly container: Declaration | undefined
  /** In their order. */
  readonly members: Declaration[]
  /** Of an import: where it leads, as 16 hex digits or a name. */
  readonly location: string | undefined
}
