import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../kit/api.ts'
import { Button, Icon } from '../kit/controls.tsx'
import { formatCount } from '../kit/formats.ts'
import { useToast } from '../kit/toast.tsx'
import type { Export } from './answers.gen.ts'
import { api, queryKeys } from './api.ts'
import type { Parameter, Target } from './draft.ts'

interface ExportPanelProps {
  readonly target: Target
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

const everyMs = 1000

/** Exports more rows than the page shows. Leaving the result cancels the export. */
export function ExportPanel({ target, sql, parameters }: ExportPanelProps): ReactNode {
  const [format, setFormat] = useState<Export['format']>('csv')
  const starting = useMutation({ mutationFn: () => api.startExport(target, sql, parameters, format) })
  const id = starting.data?.id
  const { reset } = starting
  const progress = useQuery({
    queryKey: [...queryKeys.exports, id],
    queryFn: ({ signal }) => api.export(id ?? '', signal),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (isEnded(state.data?.status) ? false : everyMs),
    gcTime: 0,
  })
  useEffect(() => {
    if (id === undefined) return
    return () => void api.deleteExport(id).catch(() => undefined)
  }, [id])
  const state = progress.data ?? starting.data
  if (state === undefined)
    return (
      <div className="export">
        <select
          className="input"
          aria-label="Format"
          value={format}
          onChange={(event) => setFormat(event.target.value === 'parquet' ? 'parquet' : 'csv')}
        >
          <option value="csv">CSV</option>
          <option value="parquet">Parquet</option>
        </select>
        <Button isSmall disabled={starting.isPending} onClick={() => starting.mutate()}>
          <Icon name="save" size={14} /> Export all rows
        </Button>
        {starting.error !== null && <span role="alert">{problemText(starting.error)}</span>}
      </div>
    )
  const size = `${formatCount(state.row_count, 'row')}, ${formatBytes(state.bytes)}`
  if (progress.error !== null && !isEnded(state.status))
    return (
      <div className="export">
        <span role="alert">{problemText(progress.error)}</span>
        <Button isSmall onClick={reset}>
          Start again
        </Button>
      </div>
    )
  if (state.status === 'failed')
    return (
      <div className="export">
        <span role="alert">Could not export: {state.error}</span>
        <Button isSmall onClick={reset}>
          Start again
        </Button>
      </div>
    )
  if (state.status === 'done')
    return (
      <div className="export">
        <DownloadButton id={state.id} format={state.format} size={size} />
        {state.truncated_by !== null && (
          <span>The export was cut at its limit of {state.truncated_by === 'rows' ? 'rows' : 'size'}.</span>
        )}
      </div>
    )
  return (
    <div className="export">
      <progress aria-label="Export" />
      <span>{state.status === 'waiting' ? 'Waiting for another export…' : `Exporting: ${size}…`}</span>
      <Button isSmall onClick={reset}>
        Cancel export
      </Button>
    </div>
  )
}

function isEnded(status: string | undefined): boolean {
  return status === 'done' || status === 'failed'
}

interface DownloadButtonProps extends Pick<Export, 'id' | 'format'> {
  readonly size: string
}

function DownloadButton({ id, format, size }: DownloadButtonProps): ReactNode {
  const showToast = useToast()
  const downloading = useMutation({
    mutationFn: () => api.exportFile(id),
    onSuccess: (file) => save(file, `flowfarm.${format}`),
    onError: (error) => showToast(problemText(error), 'bad'),
  })
  return (
    <Button isSmall disabled={downloading.isPending} onClick={() => downloading.mutate()}>
      <Icon name="save" size={14} />{' '}
      {downloading.isPending ? 'Downloading…' : `Download ${format === 'csv' ? 'CSV' : 'Parquet'} (${size})`}
    </Button>
  )
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
