/** The side of a square picture. */
export const side = 120

/** A picture that is its own address, as items of a chain have it: seen without the internet. @param drawing elements of SVG */
export function pictureAddress(drawing: string, width = side, height = side): string {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${drawing}</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`
}

export function rectangle(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`
}

export function circle(x: number, y: number, radius: number, fill: string): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"/>`
}

export function path(data: string, fill: string, stroke = 'none', strokeWidth = 0): string {
  const line =
    stroke === 'none'
      ? ''
      : ` stroke="${stroke}" stroke-width="${strokeWidth}" stroke-linecap="round" stroke-linejoin="round"`
  return `<path d="${data}" fill="${fill}"${line}/>`
}
