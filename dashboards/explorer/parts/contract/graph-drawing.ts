/** A graph ready to be drawn, in pixels. */
export interface GraphDrawing {
  readonly boxes: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly lines: readonly { readonly source: string; readonly target: string; readonly path: string }[]
  readonly boxWidth: number
  readonly width: number
  readonly height: number
}

export const boxHeight = 30
export const margin = 16
