/** Numbers, durations and times, independent of the browser's language. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

export function formatNumber(value: number): string {
  return whole.format(value)
}

/** 1234567 → `1.23M`; exact below 10,000. */
export function formatCompact(value: number): string {
  if (Math.abs(value) < 10_000) return formatNumber(value)
  const steps = [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const
  for (const [size, unit] of steps) {
    if (Math.abs(value) >= size) return `${digits(value / size)}${unit}`
  }
  return formatNumber(value)
}

/** Three significant digits, truncated so that 999,999 is not shown as 1M. */
function digits(value: number): string {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const factor = 10 ** decimals
  return (Math.trunc(value * factor) / factor).toFixed(decimals)
}

/**
 * Decimals that are shown and that are hidden: `1,234.56789` → `1,234.5678` and `9`. Below one, four
 * significant digits are shown.
 */
export function splitAmount(amount: string, decimals = 4): readonly [shown: string, hidden: string] {
  const [whole = '', fraction = ''] = amount.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const count = /[1-9]/.test(whole) ? decimals : zeros + 4
  const shown = fraction.length <= count ? amount : `${whole}.${fraction.slice(0, count)}`.replace(/\.?0*$/, '')
  return [shown, amount.slice(shown.length)]
}

/** Per second. */
export function formatRate(perSecond: number): string {
  return perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : formatNumber(perSecond)
}

/** Truncated, so that only the whole is 100%. */
export function formatShare(part: number, total: number): string {
  if (total <= 0 || part >= total) return '100%'
  const percent = Math.max(0, (part / total) * 100)
  return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`
}

/** `4 min 10 s`, `3 h 12 min`: at most two units. */
export function formatDuration(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds))
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const
  const first = units.findIndex(([size]) => rounded >= size)
  if (first < 0) return '0 s'
  const [size, unit] = units[first] ?? [1, 's']
  const next = units[first + 1]
  const rest = next === undefined ? 0 : Math.floor((rounded % size) / next[0])
  const head = `${formatNumber(Math.floor(rounded / size))} ${unit}`
  return next === undefined || rest === 0 ? head : `${head} ${rest} ${next[1]}`
}

/** `now`, `12 s`, `4 min`. */
export function formatAge(since: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(since)) / 1000)
  if (seconds < 1) return 'now'
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${formatNumber(Math.floor(seconds / 86_400))} d`
}

/** `4 min ago`, `in 3 h`. Tolerates clocks that differ by seconds. */
export function formatAgo(at: string, now: number): string {
  const until = Date.parse(at) - now
  if (until >= 2000) return `in ${formatAge(new Date(now).toISOString(), Date.parse(at))}`
  const age = formatAge(at, now)
  return age === 'now' ? 'just now' : `${age} ago`
}

/** `2026-03-01 04:05:06 UTC` */
export function formatTime(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Half-open, shown inclusive: `100 – 199`, or `100` alone. */
export function formatRange({ from, to }: { readonly from: number; readonly to: number }): string {
  return to - from <= 1 ? formatNumber(from) : `${formatNumber(from)} – ${formatNumber(to - 1)}`
}

/** `1 height`, `2,000 heights`. */
export function formatCount(count: number, singular: string): string {
  return `${formatNumber(count)} ${singular}${count === 1 ? '' : 's'}`
}
