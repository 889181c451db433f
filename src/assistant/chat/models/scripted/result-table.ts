/** What a statement gave. */
export interface ResultTable {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Whether there are more rows than these. */
  readonly isCut: boolean
}

/**
 * Finds the rows in what a tool for SQL gave, in whichever form it went to the model: as JSON, as text, or as text in parts of content.
 * @returns undefined where there are none to be found
 */
export function readResultTable(output: unknown): ResultTable | undefined {
  if (typeof output === 'string') return readResultTable(parsed(output))
  if (Array.isArray(output)) return firstTable(output)
  if (!isRecord(output)) return undefined
  const rows = output['rows'] ?? output['results']
  if (Array.isArray(rows) && rows.every(isRecord)) {
    const named = output['columns']
    const columns =
      Array.isArray(named) && named.every((name) => typeof name === 'string') ? named : Object.keys(rows[0] ?? {})
    return { columns: [...new Set(columns)], rows, isCut: output['truncated'] === true }
  }
  return firstTable([output['structuredContent'], output['value'], output['content'], output['text']])
}

function firstTable(values: readonly unknown[]): ResultTable | undefined {
  for (const value of values) {
    const table = readResultTable(value)
    if (table !== undefined) return table
  }
  return undefined
}

/** Words may stand around the JSON, e.g. that it is data. */
function parsed(text: string): unknown {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  try {
    return JSON.parse(json)
  } catch {
    // It is no JSON, or was cut.
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
