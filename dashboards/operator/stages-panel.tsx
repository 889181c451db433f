import type { ReactNode } from 'react'
import { Age } from '../kit/time.tsx'
import { Badge } from '../kit/controls.tsx'
import {
  formatCompact,
  formatCount,
  formatDuration,
  formatNumber,
  formatRange,
  formatRate,
  formatShare,
} from '../kit/formats.ts'
import { Cell, ColumnName, Row, RowName, Table, TableBody, TableHead } from '../kit/table.tsx'
import type { Stage } from './contract.ts'
import { useView } from './use-view.ts'
import type { Section } from './view.ts'

interface StagesPanelProps {
  readonly stages: readonly Stage[]
  /** The last minute of rates of each stage. */
  readonly rates: ReadonlyMap<string, readonly number[]>
}

/** One row for each ingester and worker: how far, how fast, what is under way and what went wrong. */
export function StagesPanel({ stages, rates }: StagesPanelProps): ReactNode {
  const isOff = stages.filter((stage) => !stage.isEnabled).length
  return (
    <section className="panel" aria-labelledby="stages">
      <header>
        <h2 id="stages">Stages</h2>
        <span className="soft">
          {stages.length - isOff} on{isOff > 0 ? `, ${isOff} off` : ''}
        </span>
      </header>
      <div className="table-scroll stages-scroll">
        <Table className="stages" aria-labelledby="stages">
          <TableHead>
            <ColumnName>Stage</ColumnName>
            <ColumnName>Progress</ColumnName>
            <ColumnName className="number">Covered</ColumnName>
            <ColumnName className="number">Owed</ColumnName>
            <ColumnName className="number">In flight</ColumnName>
            <ColumnName className="number">Rate / s</ColumnName>
            <ColumnName className="number">Done in</ColumnName>
            <ColumnName>Oldest unfinished</ColumnName>
            <ColumnName>Trouble</ColumnName>
          </TableHead>
          <TableBody>
            {stages.map((stage) => (
              <StageRow key={stage.name} stage={stage} rates={rates.get(stage.name) ?? []} />
            ))}
          </TableBody>
        </Table>
      </div>
    </section>
  )
}

function StageRow({ stage, rates }: { readonly stage: Stage; readonly rates: readonly number[] }): ReactNode {
  const {
    name,
    description,
    kind,
    phase,
    follows,
    isEnabled,
    covered,
    available,
    owed,
    active,
    skipped,
    failed,
    flagged,
    holes,
    blocked,
  } = stage
  const waiting = blocked?.heights ?? 0
  const place =
    kind === 'ingester' ? 'ingester' : `phase ${phase}${follows.length > 0 ? `, after ${follows.join(', ')}` : ''}`
  const holesText = holes > 0 ? `${formatCount(holes, 'hole')} between covered ranges` : undefined
  return (
    <Row className={isEnabled ? '' : 'off'}>
      <RowName className="stage-name" title={description}>
        <span>{name}</span>
        {!isEnabled && <Badge>off</Badge>}
        <span className="note">{place}</span>
      </RowName>
      <Cell className="stage-progress">
        <ProgressBar
          label={`${name}: covered`}
          total={available + waiting}
          done={covered}
          active={active.heights}
          skipped={skipped.heights}
          failing={failed.heights + flagged.heights}
        />
        <span>{available + waiting === 0 ? '–' : formatShare(covered, available + waiting)}</span>
      </Cell>
      <Cell
        className="number"
        label="Covered"
        title={[`${formatNumber(covered)} of ${formatNumber(available)}`, holesText].filter(Boolean).join('; ')}
      >
        {formatCompact(covered)}
      </Cell>
      <Cell className="number" label="Owed" title={formatNumber(owed)}>
        {owed === 0 ? <span className="soft">0</span> : formatCompact(owed)}
      </Cell>
      <Cell
        className="number"
        label="In flight"
        title={
          `${formatCount(active.leases, 'range')} of ${formatCount(active.heights, 'height')}; ` +
          `${formatCount(stage.queued.leases, 'range')} queued`
        }
      >
        {active.leases === 0 ? <span className="soft">0</span> : formatNumber(active.leases)}
      </Cell>
      <Cell className="number rate" label="Rate / s">
        <Sparkline values={rates} />
        <span>{stage.rate === null ? '–' : formatRate(stage.rate)}</span>
      </Cell>
      <Cell className="number" label="Done in">
        {etaText(stage)}
      </Cell>
      <Cell className="oldest" label="Oldest unfinished">
        <Oldest stage={stage} />
      </Cell>
      <Cell className="trouble" label="Trouble">
        <Trouble stage={stage} />
      </Cell>
    </Row>
  )
}

function etaText({ owed, available, etaSeconds, isEnabled, blocked }: Stage): ReactNode {
  if (blocked?.cause === 'failed') return <Badge tone="bad">stuck</Badge>
  if (blocked !== null) return <Badge tone="warn">behind by {formatCount(blocked.heights, 'block')}</Badge>
  if (available === 0) return '–'
  if (owed === 0) return <span className="soft">up to date</span>
  return !isEnabled || etaSeconds === null ? '–' : formatDuration(etaSeconds)
}

function Oldest({ stage: { oldestUnfinished: oldest, blocked } }: { readonly stage: Stage }): ReactNode {
  if (blocked !== null)
    return (
      <span>
        waits for {blocked.by}, {blocked.cause === 'failed' ? 'which failed' : 'for'} <Age since={blocked.since} />
      </span>
    )
  if (oldest === null) return <span className="soft">–</span>
  const runs = oldest.attempt > 1 ? `, run ${oldest.attempt}` : ''
  return (
    <>
      <span className="nowrap">{formatRange(oldest)}</span>{' '}
      <span className="note">
        {oldest.status}
        {runs}, <Age since={oldest.since} />
      </span>
    </>
  )
}

function Trouble({ stage }: { readonly stage: Stage }): ReactNode {
  const [, change] = useView()
  const open = (section: Section): void => {
    change({ section, worker: stage.name, code: undefined })
    document.getElementById('needs-you')?.scrollIntoView({ block: 'start' })
  }
  const { flagged, failed, skipped, name } = stage
  if (flagged.leases + failed.leases + skipped.leases === 0) return <span className="soft">none</span>
  return (
    <span className="badges">
      {flagged.leases > 0 && (
        <Badge tone="bad" label={`${flagged.leases} stuck, show those of ${name}`} onClick={() => open('flagged')}>
          {formatNumber(flagged.leases)} stuck
        </Badge>
      )}
      {failed.leases > 0 && (
        <Badge tone="warn" label={`${failed.leases} retrying, show those of ${name}`} onClick={() => open('failed')}>
          {formatNumber(failed.leases)} retrying
        </Badge>
      )}
      {skipped.leases > 0 && (
        <Badge label={`${skipped.leases} skipped, show those of ${name}`} onClick={() => open('skipped')}>
          {formatNumber(skipped.leases)} skipped
        </Badge>
      )}
    </span>
  )
}

interface ProgressBarProps {
  readonly label: string
  readonly total: number
  readonly done: number
  readonly active?: number
  readonly skipped?: number
  readonly failing?: number
}

/** Shares done, active, skipped and failing; failing is visible however small it is. */
function ProgressBar({ label, total, done, active = 0, skipped = 0, failing = 0 }: ProgressBarProps): ReactNode {
  const width = (part: number): { width: string } => ({
    width: `${total <= 0 ? 0 : Math.min(100, (part / total) * 100)}%`,
  })
  const percent = total <= 0 ? 0 : Math.min(100, Math.floor((done / total) * 1000) / 10)
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <i className="done" style={width(done)} />
      {skipped > 0 && <i className="skipped" style={width(skipped)} />}
      {failing > 0 && <i className="failing" style={width(failing)} />}
      {active > 0 && <i className="active" style={width(active)} />}
    </div>
  )
}

interface SparklineProps {
  /** Oldest first; at least two for a line. */
  readonly values: readonly number[]
  readonly width?: number
  readonly height?: number
}

/** How a number went lately, from nought to its highest; for the eye only, the number itself stands beside it. */
function Sparkline({ values, width = 56, height = 18 }: SparklineProps): ReactNode {
  const top = Math.max(...values, 1e-9)
  const points = values.map((value, i) => {
    const x = values.length < 2 ? width : (i / (values.length - 1)) * width
    return `${x.toFixed(1)} ${(height - 1 - (value / top) * (height - 2)).toFixed(1)}`
  })
  const line = points.length < 2 || values.every((value) => value === 0) ? '' : `M${points.join('L')}`
  return (
    <svg className="sparkline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {line !== '' && <path className="area" d={`${line}L${width} ${height}L0 ${height}Z`} />}
      {line !== '' && <path d={line} />}
    </svg>
  )
}
