"""An extension of Model Explorer, which reads build logs itself.

    model-explorer build.log --extensions=engine_layer_visualize.adapters.model_explorer

Model Explorer imports `main` of this package.
"""
