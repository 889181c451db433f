/** The exact product of two decimal numbers as text, without zeros at the end of its fraction. */
export function multiplyDecimals(left: string, right: string): string {
  const [a, b] = [unscaled(left), unscaled(right)]
  const product = a.digits * b.digits
  const scale = a.scale + b.scale
  const digits = (product < 0n ? -product : product).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${product < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

function unscaled(text: string): { digits: bigint; scale: number } {
  const [whole = '', fraction = ''] = text.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length }
}
