-- How many frames the segment cache saved, by the UTC day on which all frames were ready. Attempts of older workers,
-- which do not report it, are omitted.
select
  strftime(encoded_at, '%Y-%m-%d') as day,
  count(*) as attempts,
  cast(sum(frames) as bigint) as frames,
  cast(sum(frames_cached) as bigint) as cached,
  round(sum(frames_cached) / greatest(sum(frames), 1), 3) as share
from attempts
where frames_cached is not null
group by all
order by day
