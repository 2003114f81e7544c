-- How many renders reached each status. Only accepted events count; a failed render counts in every status that it had.
select status, count(*) as renders
from (select transition."to" as status from accepted.RenderFactAccepted where transition is not null)
group by status
order by list_position(['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete', 'failed'], status)
