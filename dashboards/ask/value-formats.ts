import { isNumberType } from '../kit/result-table.ts'

/** Numbers that are names, without thousands separators. */
const plain = /(^|_)(id|height|index|number|year|version)$/i
const percent = /(^|_)(percent|pct|percentage)$/i
const time = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}(?:\.\d*[1-9])?)(?:\.?0*)Z$/

/** How a value is shown; CSV and copies keep the exact text. @param isGrouped with thousands separators */
export function formatValue(column: string, type: string, text: string, isGrouped = false): string {
  if (isNumberType(type)) {
    if (!/^-?\d+(\.\d+)?$/.test(text)) return text
    const number = isGrouped && !plain.test(column) ? grouped(text) : text
    return percent.test(column) ? `${number}%` : number
  }
  return type.startsWith('timestamp') ? text.replace(time, '$1 $2') : text
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const separated = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? separated : `${separated}.${fraction}`
}
