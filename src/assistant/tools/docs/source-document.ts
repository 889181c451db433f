/** A text that can be searched and read, as it is given to the tools. */
export interface SourceDocument {
  /** Stable: `docs/api`, `skills/cadence`. Lower case, without `#`. */
  readonly id: string
  /** Markdown; its first heading is its title. */
  readonly text: string
}
