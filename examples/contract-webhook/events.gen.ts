// Events of A.11a1b8a51a86f2a1.Alarm, written by npm run worker -- init. Numbers are decimal strings.

export type Events = {
  Ran: {
    /** UInt64 */
    id: string
    /** String */
    data: string
  }
}

/** Any value. */
export type Value = string | boolean | null | Value[] | { [name: string]: Value }
