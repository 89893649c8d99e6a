-- The highest iteration number of all applications that the original logs, whatever their run: it knows neither patterns that
-- were held back nor those that were shown beside a tool's use.
-- Needs: application
-- Makes: compat_iteration (rows)
-- Grain: one row.
select max(iteration) as iteration
from application
where status = 'applied' or (status = 'injected' and tool is null)
