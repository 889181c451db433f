/** What is read of a message of the channel. */
export interface Told {
  readonly type?: unknown
  readonly method?: unknown
  readonly params?: { readonly state?: unknown }
  readonly message?: unknown
  readonly server?: { readonly label?: unknown }
}

/** A message of the channel; undefined for what is none. */
export function readMessage(data: string): Told | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
