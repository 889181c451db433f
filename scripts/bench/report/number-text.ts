/** A figure with three digits that count, and thousands apart: 0.0123, 4.57, 89.1, 1,234. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(digits, 4),
    maximumFractionDigits: Math.min(digits, 4),
  })
}

/** 0.734 as `73 %`, 0.00123 as `0.12 %`. */
export function percentText(share: number): string {
  return `${share >= 0.01 ? Math.round(share * 100).toLocaleString('en-US') : Number((share * 100).toPrecision(2))} %`
}
